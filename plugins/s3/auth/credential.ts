import type { S3Error } from '../wire/s3-error.ts'

export interface Credential {
  readonly accessKey: string
  /** yyyymmdd */
  readonly date: string
  readonly region: string
  /** The signed text `date/region/s3/aws4_request`. */
  readonly scope: string
}

/** Makes the error for a malformed credential. */
type CredentialError = (message: string) => S3Error

/** Reads `accessKey/yyyymmdd/region/s3/aws4_request`; the access key may contain slashes. */
export function parseCredential(text: string, malformed: CredentialError): Credential {
  const parts = text.split('/')
  const [date, region, service, terminal] = parts.splice(-4)
  const accessKey = parts.join('/')
  if (accessKey === '' || date === undefined || region === undefined) {
    throw malformed('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/s3/aws4_request".')
  }
  if (service !== 's3') throw malformed(`incorrect service "${service}". This endpoint belongs to "s3".`)
  if (terminal !== 'aws4_request') throw malformed(`incorrect terminal "${terminal}". This endpoint uses "aws4_request".`)
  if (!/^\d{8}$/.test(date))
    throw malformed(`incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`)
  return { accessKey, date, region, scope: `${date}/${region}/${service}/${terminal}` }
}

/** us-east-1 is the default region of clients. */
export function isRegionAccepted(region: string, configured: string): boolean {
  return region === configured || region === 'us-east-1'
}

const amzDatePattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** Milliseconds of `yyyymmddThhmmssZ`, or undefined. */
export function parseAmzDate(text: string): number | undefined {
  const match = amzDatePattern.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** `yyyymmddThhmmssZ` of a time in milliseconds. */
export function formatAmzDate(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '')
}
