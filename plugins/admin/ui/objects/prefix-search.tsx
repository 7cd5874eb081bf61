import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { SearchField, setSearch, useSearchParam } from '@svc/ui-kit'

/** Each letter would be a request. */
const pauseMs = 250

/** Searches keys by their beginning; the text is in the address as `q`. */
export const PrefixSearch = component$<{ label: string }>(({ label }) => {
  const inAddress = useSearchParam('q')
  const typed = useSignal(inAddress.value)
  useTask$(({ track }) => {
    typed.value = track(() => inAddress.value)
  })
  useTask$(({ track, cleanup }) => {
    const q = track(() => typed.value)
    if (q === inAddress.value) return
    const timer = setTimeout(() => setSearch({ q, after: null }, { replace: true }), pauseMs)
    cleanup(() => clearTimeout(timer))
  })
  return <SearchField label={label} value={typed} shortcut class="w-full sm:w-72" />
})
