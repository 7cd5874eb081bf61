import { $, component$, useId, useSignal } from '@builder.io/qwik'
import { Button, Card, Empty, Field, setSearch, TextInput } from '@svc/ui-kit'

/** Asks for the key whose history to show: deleted objects are in no list but the trash. */
export const KeyForm = component$(() => {
  const key = useSignal('')
  const formId = useId()
  const submit = $((_: SubmitEvent, form: HTMLFormElement) => {
    const typed = new FormData(form).get('key')
    if (typeof typed === 'string' && typed !== '') setSearch({ key: typed, marker: null })
  })
  return (
    <Card>
      <Empty
        icon="clock"
        title="The history of one object"
        text="Choose Versions in the menu of an object, or type a key. Deleted objects have a history too."
      />
      <form id={formId} preventdefault:submit onSubmit$={submit} class="mx-auto flex max-w-xl items-end gap-2 pb-8">
        <div class="min-w-0 flex-1">
          <Field label="Key of the object">
            <TextInput name="key" value={key} mono />
          </Field>
        </div>
        <Button type="submit" variant="primary">
          Show versions
        </Button>
      </form>
    </Card>
  )
})
