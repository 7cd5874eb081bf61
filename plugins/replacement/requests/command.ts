import type { ReplacementCommand, ReplacementMode } from '../contract/records.ts'
import { replacementErrors } from '../errors.ts'
import type { ReplacementRow } from '../records/replacement-store.ts'

const requestIdLengthMax = 128

/** A command whose members are well-formed. */
export interface CheckedCommand {
  readonly bucketId: number
  readonly dataSetId: number
  readonly mode: ReplacementMode
  /** Named with `manual` only. */
  readonly providerId: string | undefined
  readonly clientRequestId: string
  readonly origin: ReplacementCommand['origin']
}

/** Throws what is wrong with a command. */
export function checkCommand({ mode, providerId, clientRequestId: id, ...place }: ReplacementCommand): CheckedCommand {
  const clientRequestId = id.trim()
  const length = [...clientRequestId].length
  if (length < 1 || length > requestIdLengthMax) throw replacementErrors.client_request_id_required()
  if (mode !== 'automatic' && mode !== 'manual') throw replacementErrors.replacement_target_invalid()
  const isNamed = providerId !== undefined
  if (isNamed !== (mode === 'manual') || (isNamed && !/^(0|[1-9]\d{0,77})$/.test(providerId)))
    throw replacementErrors.replacement_target_invalid()
  return { ...place, mode, providerId, clientRequestId }
}

/** Whether the record was made by exactly this command. */
export const isRepeat = ({ bucketId, sourceId, mode, requestedProviderId }: ReplacementRow, command: CheckedCommand): boolean =>
  bucketId === command.bucketId &&
  sourceId === command.dataSetId &&
  mode === command.mode &&
  (requestedProviderId ?? undefined) === command.providerId
