import { type AdminCall, openAdminClient, requireConfirmation } from '#cli'
import { type GroupRelease, releaseGroup } from '../confirmation-api.ts'

export async function run(call: AdminCall<{ attemptId: string }, { yes: boolean }>): Promise<undefined> {
  const { attemptId } = call.parameters
  requireConfirmation(call.flags.yes, `releasing the copies of attempt ${attemptId}, which may then be paid twice,`)
  const client = await openAdminClient(call)
  const answer = await client.call(releaseGroup, { body: { expected_attempt_id: attemptId, acknowledge_possible_duplicate: true } })
  call.out.result(answer, textOf(answer))
}

const textOf = ({ attempt_id, released, refusals, has_more }: GroupRelease): string =>
  [
    `Released of attempt ${attempt_id}: ${released}; another attempt stores them`,
    ...refusals.map(({ copy_id, error }) => `Copy ${copy_id} was not released: ${error}`),
    ...(has_more ? ['Copies are left: repeat the command'] : []),
  ].join('\n')
