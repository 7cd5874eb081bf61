/** What a raise of copies adds and where it is, in words. Pure. */
import type { Answer, ApiError } from '@svc/ui-kit'

export type RaiseView = Answer<'GET /buckets/:name/copies/raise'>
export type Raise = NonNullable<RaiseView['raise']>

/** Counting stops there. */
const lackingMax = 10_000

export const isUnfinished = (raise: Raise | null | undefined): boolean =>
  raise !== null && raise !== undefined && raise.status !== 'completed'

/** What a raise does now, as a sentence. `formatCount` is that of the kit. */
export function stageOf({ status, lacking_copies: lacking }: Raise, formatCount: (count: number) => string): string {
  if (status === 'completed') return 'Every content has its copies.'
  if (status === 'raising') return 'The targets of the contents are being raised.'
  const count = lacking >= lackingMax ? `At least ${formatCount(lacking)}` : formatCount(lacking)
  return `${count} ${lacking === 1 ? 'content lacks' : 'contents lack'} copies.`
}

/**
 * What follows a refusal. preview: what was shown is not so any more · new_request: the id of the request is used · repeat: the same request
 * may be sent again.
 */
export function afterRefusal(code: ApiError['code'] | undefined): 'preview' | 'new_request' | 'repeat' {
  if (code === 'copy_raise_idempotency_conflict') return 'new_request'
  return code === 'price_list_changed' || code === 'copy_raise_target_changed' || code === 'copy_raise_unfinished' ? 'preview' : 'repeat'
}
