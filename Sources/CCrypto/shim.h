// The direct functions: those that OpenSSL 3 offers in their place look up an algorithm by its name,
// which costs more than the digest of a small file, and need far more of the library.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <openssl/aes.h>
#include <openssl/modes.h>
#include <stdbool.h>

// AES-256-GCM (NIST SP 800-38D) with a nonce of 12 bytes and a tag of 16.

static inline GCM128_CONTEXT *ccrypto_begin(
  AES_KEY *schedule, const unsigned char key[32], const unsigned char nonce[12],
  const unsigned char *context, size_t context_size) {
  AES_set_encrypt_key(key, 256, schedule);
  GCM128_CONTEXT *state = CRYPTO_gcm128_new(schedule, (block128_f)AES_encrypt);
  CRYPTO_gcm128_setiv(state, nonce, 12);
  CRYPTO_gcm128_aad(state, context, context_size);
  return state;
}

/// Encrypts bytes and makes a tag of them and their context.
static inline void ccrypto_seal(
  const unsigned char key[32], const unsigned char nonce[12], const unsigned char *context,
  size_t context_size, const unsigned char *bytes, unsigned char *sealed, size_t size,
  unsigned char tag[16]) {
  AES_KEY schedule;
  GCM128_CONTEXT *state = ccrypto_begin(&schedule, key, nonce, context, context_size);
  CRYPTO_gcm128_encrypt(state, bytes, sealed, size);
  CRYPTO_gcm128_tag(state, tag, 16);
  CRYPTO_gcm128_release(state);
}

/// Decrypts bytes. Returns false if they, their context or the tag are others than those of the seal.
static inline bool ccrypto_open(
  const unsigned char key[32], const unsigned char nonce[12], const unsigned char *context,
  size_t context_size, const unsigned char *sealed, unsigned char *bytes, size_t size,
  const unsigned char tag[16]) {
  AES_KEY schedule;
  GCM128_CONTEXT *state = ccrypto_begin(&schedule, key, nonce, context, context_size);
  CRYPTO_gcm128_decrypt(state, sealed, bytes, size);
  bool is_intact = CRYPTO_gcm128_finish(state, tag, 16) == 0;
  CRYPTO_gcm128_release(state);
  return is_intact;
}
