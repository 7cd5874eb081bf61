/** Shows a replacement once, or with `--watch` until its end. */
import { type AdminCall, type AdminClient, showResult } from '#cli'
import type { ReplacementAnswer } from '../api/record-api.ts'
import { showReplacement } from '../api/replacement-api.ts'
import { isEnded, needsOperator, replacementText } from './replacement-text-policy.ts'

interface Subject {
  readonly id: string
  /** An answer that was just received. */
  readonly known?: ReplacementAnswer
}

/** Returns the replacement as it was shown last. */
export async function followReplacement(
  call: AdminCall<unknown, { readonly watch: boolean }>,
  client: AdminClient,
  { id, known }: Subject,
): Promise<ReplacementAnswer | undefined> {
  let last: ReplacementAnswer | undefined
  await showResult(call, async () => {
    last = last === undefined && known ? known : await client.call(showReplacement, { params: { id } })
    return { value: last, text: replacementText(last), isLast: isEnded(last) || needsOperator(last) }
  })
  return last
}
