import { $, component$, type Signal, useSignal } from '@builder.io/qwik'
import { Button, call, ErrorAlert, Field, invalidate, TextInput, useAction$ } from '@svc/ui-kit'

/** Takes the private key once. The field is emptied with the request, whatever its answer; the address proves which key was stored. */
export const WalletKeyForm = component$<{ address: Signal<string> }>(({ address }) => {
  const key = useSignal('')
  const save = useAction$((text: string) => call('PUT /setup/wallet-key', { body: { private_key: text } }))
  const submit = $(async (_: SubmitEvent, form: HTMLFormElement) => {
    const text = String(new FormData(form).get('private-key'))
    form.reset()
    key.value = ''
    const answer = await save.run(text)
    if (!answer) return
    address.value = answer.address
    invalidate(['GET /settings'])
  })
  return (
    <form method="post" preventdefault:submit onSubmit$={submit} class="flex max-w-140 flex-col gap-3">
      <Field label="Private key" help="64 hexadecimal digits. It is stored in the configuration file, and never shown or logged.">
        <TextInput value={key} name="private-key" type="password" mono required />
      </Field>
      <ErrorAlert error={save.error} title="The key was not stored" />
      <div>
        <Button type="submit" variant="primary" size="sm" changes="PUT /setup/wallet-key" pending={save.isPending}>
          Store the key
        </Button>
      </div>
    </form>
  )
})
