import type { HashConfig } from '../../../src/identity/passwords/formats/parsed.ts';

/** Parameters of the sample project. Source: README of firebase/scrypt. */
export const SAMPLE_PROJECT: HashConfig = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memoryCost: 14,
};
export const SAMPLE_DIGEST = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';
export const SAMPLE_SALT = '42xEC+ixf3L2lw==';

/** A published hash and its password. */
export type Vector = {
  readonly source: string;
  readonly hash: string;
  readonly password: string;
  readonly algorithm: string;
  readonly config?: HashConfig;
};

/** Hashes of every format, from the tests of the projects that define them. */
export const vectors: readonly Vector[] = [
  {
    source: 'crypt_blowfish 1.3, wrapper.c',
    hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    password: 'U*U',
    algorithm: 'bcrypt',
  },
  {
    source: 'crypt_blowfish 1.3, as $2y$',
    hash: '$2y$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK',
    password: 'U*U*',
    algorithm: 'bcrypt',
  },
  {
    source: 'crypt_blowfish 1.3, as $2b$',
    hash: '$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a',
    password: 'U*U*U',
    algorithm: 'bcrypt',
  },
  {
    source: 'phc-winner-argon2, test.c',
    hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    password: 'password',
    algorithm: 'argon2id',
  },
  {
    source: 'supabase/auth, password_test.go',
    hash: '$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
    password: 'test',
    algorithm: 'argon2i',
  },
  {
    source: 'supabase/auth, password_test.go, two lanes',
    hash: '$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk',
    password: 'test',
    algorithm: 'argon2id',
  },
  {
    source: 'RustCrypto argon2, phc_strings.rs',
    hash: '$argon2d$v=19$m=65536,t=2,p=1$YzI5dFpYTmhiSFFBQUFBQUFBQUFBQQ$Jxy74cswY2mq9y+u+iJcJy8EqOp4t/C7DWDzGwGB3IM',
    password: 'password',
    algorithm: 'argon2d',
  },
  {
    source: 'Django, test_hashers.py, without its prefix argon2',
    hash: '$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$YC9+jJCrQhs5R6db7LlN8Q',
    password: 'secret',
    algorithm: 'argon2i',
  },
  {
    source: 'passlib 1.7, passlib.hash.scrypt',
    hash: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    password: 'password',
    algorithm: 'scrypt',
  },
  {
    source: 'Ory Kratos, hasher_test.go, N in the place of log2 N',
    hash: '$scrypt$ln=16384,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=',
    password: 'test',
    algorithm: 'scrypt',
  },
  {
    source: 'RFC 7914, section 12, second vector, written as Werkzeug does',
    hash: 'scrypt:1024:8:16$NaCl$fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    password: 'password',
    algorithm: 'scrypt',
  },
  {
    source: 'RFC 7914, section 12, third vector, written as Werkzeug does',
    hash: 'scrypt:16384:8:1$SodiumChloride$7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    password: 'pleaseletmein',
    algorithm: 'scrypt',
  },
  {
    source: 'supabase/auth, password_test.go, $fbscrypt$',
    hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==',
    password: 'mytestpassword',
    algorithm: 'firebase-scrypt',
  },
  {
    source: 'Ory Kratos, hasher_test.go, $firescrypt$',
    hash: '$firescrypt$ln=14,r=8,p=1$sPtDhWcd1MfdAw==$xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tjBa4NtimOx7v42Gv2SfzPQu1oxM2/k4SsbOu73wlKe1A==$Bw==$YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeCHairWHKENOkbh3dzwaCdizzOspwr/FITUVlnOAwPKyw==',
    password: '8x4WjoDbSxJZdR',
    algorithm: 'firebase-scrypt',
  },
  {
    source: 'README of firebase/scrypt, with the configuration of its project',
    hash: `${SAMPLE_DIGEST}$${SAMPLE_SALT}`,
    password: 'user1password',
    algorithm: 'firebase-scrypt',
    config: SAMPLE_PROJECT,
  },
  {
    source: 'README of firebase/scrypt, as the six segments of Clerk',
    hash: `${SAMPLE_DIGEST}$${SAMPLE_SALT}$${SAMPLE_PROJECT.signerKey}$Bw==$8$14`,
    password: 'user1password',
    algorithm: 'firebase-scrypt',
  },
  {
    source: 'Ory Kratos, hasher_test.go, SHA-256',
    hash: '$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI',
    password: 'test',
    algorithm: 'pbkdf2-sha256',
  },
  {
    source: 'Ory Kratos, hasher_test.go, SHA-512',
    hash: '$pbkdf2-sha512$i=100000,l=32$bdHBpn7OWOivJMVJypy2UqR0UnaD5prQXRZevj/05YU$+wArTfv1a+bNGO1iZrmEdVjhA+lL11wF4/IxpgYfPwc',
    password: 'test',
    algorithm: 'pbkdf2-sha512',
  },
  {
    source: 'Django 1.6, test_hashers.py',
    hash: 'pbkdf2_sha256$12000$seasalt$Ybw8zsFxqja97tY/o6G+Fy1ksY4U/Hw3DRrGED6Up4s=',
    password: 'lètmein',
    algorithm: 'pbkdf2-sha256',
  },
];
