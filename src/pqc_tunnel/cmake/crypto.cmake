# crypto
