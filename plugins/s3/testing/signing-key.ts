/** Signs as S3 clients do, for measurements. */
export { sign } from '../auth/signing-key.ts'
