import { type AdminCall, openAdminClient, requireConfirmation, usageError } from '#cli'
import { releaseConfirmation } from '../confirmation-api.ts'

export async function run(call: AdminCall<{ copyId: string }, { attemptId: string | undefined; yes: boolean }>): Promise<undefined> {
  const copyId = readCopyId(call.parameters.copyId)
  const { attemptId, yes } = call.flags
  if (!attemptId) throw usageError('--attempt-id is missing; svc admin storage-confirmation list shows it')
  requireConfirmation(yes, `releasing copy ${copyId}, which may then be paid twice,`)
  const client = await openAdminClient(call)
  const answer = await client.call(releaseConfirmation, {
    params: { copyId: String(copyId) },
    body: { expected_attempt_id: attemptId, acknowledge_possible_duplicate: true },
  })
  call.out.result(answer, `Copy ${copyId} released: another attempt stores it`)
}

function readCopyId(text: string): number {
  const id = Number(text)
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) throw usageError(`"${text}" is not a copy id`)
  return id
}
