import { component$ } from '@builder.io/qwik'
import { Select, setSearch, useSearchParam } from '@svc/ui-kit'
import { workOptions } from './work-texts.ts'

/** Chooses the state of the objects that are listed; it is in the address as `work`. */
export const WorkFilter = component$(() => {
  const work = useSearchParam('work')
  return (
    <div class="w-full sm:w-52">
      <Select
        aria-label="State"
        options={workOptions}
        value={work.value}
        onValue$={(value: string) => setSearch({ work: value || null, after: null })}
      />
    </div>
  )
})
