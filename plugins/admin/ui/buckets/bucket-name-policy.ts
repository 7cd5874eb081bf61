/** Why a name cannot be that of a new bucket, while it is typed. The service has the same rules. */
export function findNameProblem(name: string): string | undefined {
  if (name === '') return 'Give the bucket a name.'
  if (!/^[a-z0-9.-]+$/.test(name)) return 'Use lower-case letters, digits, dots and hyphens only.'
  if (name.length < 3) return `Use at least 3 characters; this name has ${name.length}.`
  if (name.length > 63) return `Use at most 63 characters; this name has ${name.length}.`
  if (!/^[a-z0-9].*[a-z0-9]$/.test(name)) return 'Start and end with a letter or a digit.'
  if (/\.\.|\.-|-\./.test(name)) return 'Put no dot beside a dot or a hyphen.'
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return 'A name must not look like an IP address.'
  const [prefix] = /^(?:xn--|sthree-|amzn-s3-demo-)/.exec(name) ?? []
  if (prefix) return `Names that begin with ${prefix} are reserved.`
  const [suffix] = /(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/.exec(name) ?? []
  if (suffix) return `Names that end with ${suffix} are reserved.`
  return undefined
}
