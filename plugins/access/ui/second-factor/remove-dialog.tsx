import { $, component$, type Signal, useSignal } from '@builder.io/qwik'
import { Button, CancelButton, call, Dialog, ErrorAlert, Field, invalidate, TextInput, toast, useAction$ } from '@svc/ui-kit'

/** Turns the second factor off, with a code. */
export const RemoveDialog = component$<{ open: Signal<boolean> }>(({ open }) => (
  <Dialog
    open={open}
    size="sm"
    title="Turn the second factor off?"
    description="The password alone then signs in. HTTP Basic takes it again, and no longer the password of scripts."
    icon="shield-alert"
    tone="danger"
  >
    {open.value && <RemoveForm open={open} />}
  </Dialog>
))

const RemoveForm = component$<{ open: Signal<boolean> }>(({ open }) => {
  const code = useSignal('')
  const remove = useAction$(async (text: string) => {
    await call('POST /auth/second-factor/remove', { body: { code: text } })
    return true
  })
  const submit = $(async (_: SubmitEvent, form: HTMLFormElement) => {
    if (!(await remove.run(String(new FormData(form).get('code')).trim()))) return
    open.value = false
    invalidate(['GET /auth/second-factor'])
    toast({ title: 'The second factor is off' })
  })
  return (
    <form method="post" preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
      <Field label="Code of the app, or a recovery code">
        <TextInput value={code} name="code" mono autoComplete="one-time-code" required data-autofocus="" />
      </Field>
      <ErrorAlert error={remove.error} />
      <div class="flex justify-end gap-2">
        <CancelButton open={open} pending={remove.isPending} />
        <Button type="submit" variant="danger" changes="POST /auth/second-factor/remove" pending={remove.isPending}>
          Turn off
        </Button>
      </div>
    </form>
  )
})
