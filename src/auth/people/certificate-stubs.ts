/**
 * Replaces the packages that read X.509 certificates (see `alias` in wrangler.toml), a tenth of the Worker.
 * `@simplewebauthn/server` needs them for attestations with certificates only, which `hasAllowedAttestation` refuses.
 */
function ThrowingStub(): never {
  throw new Error(
    "Attestation certificates are not supported: register the passkey without an attestation statement.",
  );
}

/** Equal to no identifier in a certificate. */
const NO_IDENTIFIER = "not supported";

export {
  ThrowingStub,
  ThrowingStub as AuthorityKeyIdentifierExtension,
  ThrowingStub as BasicConstraints,
  ThrowingStub as Certificate,
  ThrowingStub as CRLDistributionPointsExtension,
  ThrowingStub as ExtendedKeyUsage,
  ThrowingStub as KeyDescription,
  ThrowingStub as RSAPublicKey,
  ThrowingStub as SubjectAlternativeName,
  ThrowingStub as SubjectKeyIdentifierExtension,
  ThrowingStub as X509Certificate,
  ThrowingStub as X509ChainBuilder,
  ThrowingStub as X509Crl,
  NO_IDENTIFIER as id_ce_basicConstraints,
  NO_IDENTIFIER as id_ce_extKeyUsage,
  NO_IDENTIFIER as id_ce_keyDescription,
  NO_IDENTIFIER as id_ce_subjectAltName,
  NO_IDENTIFIER as id_ml_dsa_44,
  NO_IDENTIFIER as id_ml_dsa_65,
  NO_IDENTIFIER as id_ml_dsa_87,
  NO_IDENTIFIER as id_rsaEncryption,
  NO_IDENTIFIER as id_sha1WithRSAEncryption,
  NO_IDENTIFIER as id_sha256WithRSAEncryption,
  NO_IDENTIFIER as id_sha384WithRSAEncryption,
  NO_IDENTIFIER as id_sha512WithRSAEncryption,
};
