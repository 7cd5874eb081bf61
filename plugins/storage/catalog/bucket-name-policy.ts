/** Returns why a bucket name is invalid, as the predicate of an error message, or undefined when it is valid. */
export function bucketNameProblem(name: string): string | undefined {
  if (name.length < 3 || name.length > 63) return 'must have 3 to 63 characters'
  if (!/^[a-z0-9.-]+$/.test(name)) return 'may have only lower-case letters, digits, dots and hyphens'
  if (!/^[a-z0-9].*[a-z0-9]$/.test(name)) return 'must start and end with a letter or a digit'
  if (/\.\.|\.-|-\./.test(name)) return 'must not have a dot beside a dot or a hyphen'
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return 'must not look like an IP address'
  if (name.startsWith('xn--') || name.endsWith('-s3alias')) return 'uses a reserved prefix or suffix'
  return undefined
}
