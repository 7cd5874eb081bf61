import { openForm, type UploadForm } from '../auth/form.ts'
import { parsePostPolicy, requireAllowedForm, requireAllowedSize, type SizeRange } from '../auth/form-conditions.ts'
import { formHeaders, withFileName } from '../auth/form-fields.ts'
import { authenticateForm } from '../auth/form-signature.ts'
import { permissionsOf } from '../auth/permissions.ts'
import type { S3Answer, S3Request } from '../operations/operation.ts'
import type { NamedRow } from '../operations/table/operation-table.ts'
import { addHeaders, type Headers } from '../wire/headers.ts'
import { invalidArgument, S3Error } from '../wire/s3-error.ts'
import { type AnswerDeps, findUserIn, type IncomingRequest, openBody } from './incoming-request.ts'
import { runOperation } from './run-operation.ts'

/** Answers a request whose body is an upload form. The operation sees the fields as its headers, and the file as its body. */
export async function answerForm(
  operation: NamedRow,
  request: S3Request,
  incoming: IncomingRequest,
  context: AnswerDeps,
): Promise<S3Answer> {
  requireFormOnly(request)
  incoming.wire.requireWithin(incoming.limits.formFieldsMs)
  await using form = await openForm(incoming.wire, request.headers.get('content-type') ?? '')
  incoming.wire.requireWithin(undefined)
  const { place } = incoming.target
  const { settings } = context
  const { now } = request
  const caller = await authenticateForm({ fields: form.values, now, region: settings.region, findUser: findUserIn(incoming, context) })
  if (caller !== undefined) {
    incoming.admitted.authenticate(caller.accessKey)
    context.noteUse(caller.accessKey)
  }
  // Before the conditions of the policy, so that they hold for the key that is stored.
  const fields = withFileName(form)
  const sizes = requirePolicy(fields, { bucket: place.kind === 'service' ? '' : place.bucket, now })
  const headers = withExpectedOwner(formHeaders(fields), request.headers)
  const formRequest: S3Request = {
    ...request,
    headers,
    caller,
    ...permissionsOf(caller, context.accessLists),
    form: fields,
    openBody: (options) =>
      openBody(context, { wire: limited(form, sizes), headers, authentication: undefined, isOfUnknownLength: true, ...options }),
  }
  return await runOperation(operation, formRequest, place, context)
}

function requireFormOnly({ headers, caller }: S3Request): void {
  if (caller !== undefined) {
    throw invalidArgument(
      'Authorization',
      headers.get('authorization') ?? '',
      'Only one auth mechanism allowed; sign the policy of the form.',
    )
  }
  if (!headers.has('content-length') && !headers.has('transfer-encoding')) throw new S3Error('MissingContentLength')
}

interface PostPlace {
  readonly bucket: string
  readonly now: number
}

/** The sizes that the policy allows. A policy is always signed; without one the sender is anonymous. */
function requirePolicy(fields: ReadonlyMap<string, string>, { bucket, now }: PostPlace): readonly SizeRange[] {
  const named = fields.get('bucket') ?? bucket
  if (named !== bucket) throw new S3Error('AccessDenied', { message: `The form is for the bucket ${named}, not for ${bucket}.` })
  const encoded = fields.get('policy')
  if (encoded === undefined) return []
  const policy = parsePostPolicy(encoded)
  requireAllowedForm(policy, { fields: new Map([...fields, ['bucket', bucket]]), now })
  return policy.sizes
}

const expectedOwner = 'x-amz-expected-bucket-owner'

/** The owner of the request's header or of the field: a bucket has one owner, so that two different ones are refused. */
function withExpectedOwner(headers: Headers, sent: Headers): Headers {
  const owner = sent.get(expectedOwner)
  if (owner === undefined) return headers
  const field = headers.get(expectedOwner)
  if (field !== undefined && field !== owner) {
    throw new S3Error('AccessDenied', { message: `The form and its request expect different owners of the bucket in ${expectedOwner}.` })
  }
  return addHeaders(headers, new Map([[expectedOwner, owner]]))
}

async function* limited({ bytes }: UploadForm, sizes: readonly SizeRange[]): AsyncGenerator<Buffer, void> {
  let total = 0
  for await (const piece of bytes) {
    total += piece.length
    requireAllowedSize(sizes, total, false)
    yield piece
  }
  requireAllowedSize(sizes, total, true)
}
