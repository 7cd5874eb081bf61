import type { ReplacementCommand } from '../contract.ts'
import { replacementErrors } from '../errors.ts'

type Wanted = Pick<ReplacementCommand, 'mode' | 'providerId' | 'clientRequestId'>

const idCharsMax = 128
/** A uint256 has at most 78 digits. */
const providerPattern = /^\d{1,78}$/

/** The form of a confirmation, judged before anything is looked up. Throws `client_request_id_required` or `replacement_target_invalid`. */
export function readConfirmation(body: {
  readonly client_request_id?: string
  readonly mode?: unknown
  readonly provider_id?: unknown
}): Wanted {
  const clientRequestId = body.client_request_id?.trim() ?? ''
  const chars = [...clientRequestId].length
  if (chars < 1 || chars > idCharsMax || clientRequestId.includes('\0')) throw replacementErrors.client_request_id_required()
  const { mode, provider_id: providerId } = body
  if (mode === 'automatic' && providerId === undefined) return { mode, clientRequestId }
  if (mode === 'manual' && typeof providerId === 'string' && providerPattern.test(providerId)) return { mode, providerId, clientRequestId }
  throw replacementErrors.replacement_target_invalid()
}
