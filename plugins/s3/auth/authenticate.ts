/** @walk put 6: finds out who signed the request */
import { invalidArgument } from '../wire/s3-error.ts'
import { type Authentication, type SignatureRequest, type Signer, signatureVersion2Refused } from './authentication.ts'
import { authenticateQuery, isPresigned } from './presigned.ts'
import { authenticateHeader } from './sigv4.ts'

/** Parts of a URL that is presigned with version 2, in lower case. */
const version2: ReadonlySet<string> = new Set(['awsaccesskeyid', 'signature'])

/** Authenticates by Authorization header or presigned query. Returns undefined for an anonymous request; throws S3Error. */
export async function authenticate<User extends Signer>(request: SignatureRequest<User>): Promise<Authentication<User> | undefined> {
  const authorization = request.headers.get('authorization')
  if (isPresigned(request.query)) {
    if (authorization !== undefined) {
      throw invalidArgument('Authorization', authorization, 'Only one auth mechanism allowed; use the Authorization header or the query.')
    }
    return authenticateQuery(request)
  }
  if (authorization !== undefined) return authenticateHeader(request)
  if (request.query.keys().some((name) => version2.has(name.toLowerCase()))) throw signatureVersion2Refused()
  return undefined
}
