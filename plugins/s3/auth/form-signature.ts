import { invalidArgument, S3Error } from '../wire/s3-error.ts'
import { isSameSignature, requireUser, type SignatureRequest, type Signer, signatureVersion2Refused, skewMaxMs } from './authentication.ts'
import { isRegionAccepted, parseAmzDate, parseCredential } from './credential.ts'
import { requireField } from './form-fields.ts'
import { algorithm, sign, signingKey } from './signing-key.ts'

const ageMaxMs = 3_600_000
const signatureFields = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature'] as const

interface FormRequest<User extends Signer> extends Pick<SignatureRequest<User>, 'findUser' | 'now' | 'region'> {
  /** Values by lower-case name. */
  readonly fields: ReadonlyMap<string, string>
}

/** The user whose key signed the policy of a form. Undefined for a form without policy and signature; throws S3Error. */
export async function authenticateForm<User extends Signer>(request: FormRequest<User>): Promise<User | undefined> {
  const { fields } = request
  if (fields.has('awsaccesskeyid') || fields.has('signature')) throw signatureVersion2Refused()
  const names = ['policy', ...signatureFields] as const
  if (!names.some((name) => fields.has(name))) return undefined
  const [policy, sentAlgorithm, sentCredential, amzDate, signature] = names.map((name) => requireField(fields, name)) as [
    string,
    string,
    string,
    string,
    string,
  ]
  if (sentAlgorithm !== algorithm) throw invalidArgument('x-amz-algorithm', sentAlgorithm, `x-amz-algorithm must be ${algorithm}.`)
  const credential = parseCredential(sentCredential, (reason) => invalidArgument('x-amz-credential', sentCredential, reason))
  if (!isRegionAccepted(credential.region, request.region)) {
    const message = `The region '${credential.region}' is wrong; expecting '${request.region}'`
    throw invalidArgument('x-amz-credential', sentCredential, message)
  }
  const user = await requireUser(request, credential.accessKey)
  requireCurrent(amzDate, credential.date, request.now)
  if (isSameSignature(sign(signingKey(user.secretKey, credential.date, credential.region), policy), signature)) return user
  throw new S3Error('SignatureDoesNotMatch', {
    extras: { AWSAccessKeyId: credential.accessKey, StringToSign: policy, SignatureProvided: signature },
  })
}

function requireCurrent(amzDate: string, credentialDate: string, now: number): void {
  const time = parseAmzDate(amzDate)
  if (time === undefined) throw invalidArgument('x-amz-date', amzDate, 'x-amz-date must be in the format yyyyMMddTHHmmssZ.')
  if (!amzDate.startsWith(credentialDate)) {
    throw invalidArgument('x-amz-date', amzDate, `The date of x-amz-credential (${credentialDate}) is not the day of x-amz-date.`)
  }
  if (time > now + skewMaxMs) throw new S3Error('AccessDenied', { message: 'Request is not valid yet.' })
  if (now > time + ageMaxMs) {
    throw new S3Error('AccessDenied', {
      message: 'Invalid according to Policy: Policy expired. A form is valid for an hour after x-amz-date.',
    })
  }
}
