// In place of an optional package that the executable does not contain.
throw Object.assign(new Error('This package is not part of the executable.'), { code: 'MODULE_NOT_FOUND' });
