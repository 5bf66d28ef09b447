// A private certificate authority and its certificate for 127.0.0.1 and localhost, valid for a hundred years, so that
// no test needs a tool to create one. The private key is public with this file and protects nothing: it is for
// stand-ins on loopback. The authority's own key was deleted. To renew: a P-256 authority, and a P-256 leaf with
// subjectAltName IP:127.0.0.1, DNS:localhost and extendedKeyUsage serverAuth.

/** The authority that a client under test trusts. PEM. */
export const TEST_CA = `-----BEGIN CERTIFICATE-----
MIIBdjCCAR2gAwIBAgIQckssp+As99qvFJ5qDRJF+zAKBggqhkjOPQQDAjAZMRcw
FQYDVQQDDA5CZWNrb24gdGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEw
MTAwMDAwMFowGTEXMBUGA1UEAwwOQmVja29uIHRlc3QgQ0EwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATxWA25xMdxz67lyyuaMyZhajDE/R7VGprmz5xTRBaJb3fY
oUSC5qxvfhkozPwgIZ9QKvFNpFPnFfD0jdyDh12go0UwQzASBgNVHRMBAf8ECDAG
AQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUA3a0eBGiKNqyRfkyxVa3
pxDfi6QwCgYIKoZIzj0EAwIDRwAwRAIga+9HlKUqxXF3kbzSYvtj0fMe6WIkBA8b
jNqOv2McRAICIAb0t/O/Sh/d65h/8Z7ZKk3PJthmXz2G0vULnpYfVlOW
-----END CERTIFICATE-----
`;

/** The certificate of every stand-in. PEM. */
export const TEST_CERT = `-----BEGIN CERTIFICATE-----
MIIBvzCCAWagAwIBAgIQckssp+As99qvFJ5qDRJF/DAKBggqhkjOPQQDAjAZMRcw
FQYDVQQDDA5CZWNrb24gdGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEw
MTAwMDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEi3u7H7i1AbIgHvmJE6IEv45sACV7nIlI77IyY4BqNbAM8eJ9r8DB
gPerePCg/321k7tLOIlWasU9I1koNAzNIKOBkjCBjzAMBgNVHRMBAf8EAjAAMA4G
A1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATAaBgNVHREEEzARhwR/
AAABgglsb2NhbGhvc3QwHQYDVR0OBBYEFOalc5TIHfaXpCEGAZadlcLah24hMB8G
A1UdIwQYMBaAFAN2tHgRoijaskX5MsVWt6cQ34ukMAoGCCqGSM49BAMCA0cAMEQC
IEej0qMQH4+afdm84KQsiPaiCnCr4zhDhUMg3sOfNmxCAiAO198R2+XLGoSRh8YK
Cg3y4UDwROJ7WL/tFvN9mJY9hQ==
-----END CERTIFICATE-----
`;

/** The private key of TEST_CERT; a test key, which is no secret. PKCS #8, PEM. */
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3kTGUFDqzAxR/z74
qfY7CexEAP9CLynoqb5PkFfwsfKhRANCAASLe7sfuLUBsiAe+YkTogS/jmwAJXuc
iUjvsjJjgGo1sAzx4n2vwMGA96t48KD/fbWTu0s4iVZqxT0jWSg0DM0g
-----END PRIVATE KEY-----
`;
