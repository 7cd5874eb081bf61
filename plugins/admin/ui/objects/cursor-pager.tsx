import { component$ } from '@builder.io/qwik'
import { Pager, setSearch } from '@svc/ui-kit'
import { pageBefore, rememberPage } from './page-trail.ts'

interface CursorPagerProps {
  /** The list, such as its bucket and folder. */
  list: string
  /** Member of the query that holds the cursor. */
  member: string
  cursor: string
  next: string | undefined
  /** Number of rows on this page, for a summary with positions. */
  rows?: number | undefined
  pending: boolean
  summary: string
}

/** First, previous and next page; the cursor is in the address. */
export const CursorPager = component$<CursorPagerProps>(({ list, member, cursor, next, rows = 0, pending, summary }) => {
  const previous = pageBefore(list, cursor)
  if (cursor === '' && next === undefined) return null
  return (
    <Pager
      first={cursor === ''}
      more={next !== undefined}
      pending={pending}
      summary={summary}
      onFirst$={() => setSearch({ [member]: null })}
      onPrevious$={previous === undefined ? undefined : () => setSearch({ [member]: previous })}
      onNext$={() => {
        if (next === undefined) return
        rememberPage(list, { cursor, rows }, next)
        setSearch({ [member]: next })
      }}
    />
  )
})
