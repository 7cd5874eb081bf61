import { component$ } from '@builder.io/qwik'
import { Pager, setSearch } from '@svc/ui-kit'
import { pagingOf } from './list-query-policy.ts'

interface ListPagerProps {
  page: Parameters<typeof pagingOf>[0]
  /** What the rows are: `providers`. */
  noun: string
}

/** Pages by offset, which is in the address. Nothing while one page has all rows. */
export const ListPager = component$<ListPagerProps>(({ page, noun }) => {
  const { isFirst, text, next, previous } = pagingOf(page)
  if (isFirst && next === undefined) return null
  return (
    <Pager
      first={isFirst}
      more={next !== undefined}
      summary={`${text} ${noun}`}
      onFirst$={() => setSearch({ offset: null })}
      onNext$={() => setSearch({ offset: next ?? null })}
      onPrevious$={() => setSearch({ offset: previous ?? null })}
    />
  )
})
