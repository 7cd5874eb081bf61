/** Amazon S3 keeps them for names of other things. */
const reservedPrefixes = ['xn--', 'sthree-', 'amzn-s3-demo-']
const reservedSuffixes = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3']

/** Returns why the name of a new bucket is invalid, as the predicate of an error message, or undefined when it is valid. */
export function bucketNameProblem(name: string): string | undefined {
  if (name.length < 3 || name.length > 63) return 'must have 3 to 63 characters'
  if (!/^[a-z0-9.-]+$/.test(name)) return 'may have only lower-case letters, digits, dots and hyphens'
  if (!/^[a-z0-9].*[a-z0-9]$/.test(name)) return 'must start and end with a letter or a digit'
  if (/\.\.|\.-|-\./.test(name)) return 'must not have a dot beside a dot or a hyphen'
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return 'must not look like an IP address'
  const prefix = reservedPrefixes.find((reserved) => name.startsWith(reserved))
  if (prefix) return `starts with the reserved prefix ${prefix}`
  const suffix = reservedSuffixes.find((reserved) => name.endsWith(reserved))
  if (suffix) return `ends with the reserved suffix ${suffix}`
  return undefined
}
