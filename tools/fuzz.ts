/** `npm run fuzz -- 20 [seed]`: the property and fuzz tests of the S3 API with twenty times the runs of the suite, random unless a seed is given. */
const [factor = '10', seed] = process.argv.slice(2)
process.env.SVC_FUZZ_FACTOR = factor
if (seed !== undefined) process.env.SVC_FUZZ_SEED = seed
const files = [
  'plugins/s3/operations/bucket-model.test.ts',
  'plugins/s3/auth/independent-signer.test.ts',
  'plugins/s3/server/fuzz.test.ts',
  'plugins/s3/server/form-fuzz.test.ts',
]
process.argv.splice(2, Infinity, ...files, '--testTimeout=0')
await import('./test.ts')
