import { $, component$, type Signal, useId, useSignal } from '@builder.io/qwik'
import {
  type Answer,
  Button,
  CancelButton,
  Confirm,
  CopyButton,
  call,
  Dialog,
  ErrorAlert,
  Field,
  invalidate,
  QrCode,
  TextInput,
  useAction$,
} from '@svc/ui-kit'
import { RecoveryCodes } from './recovery-codes.tsx'
import type { Issued } from './recovery-text-policy.ts'

type Begun = Answer<'POST /auth/second-factor'>

const descriptions = {
  password: 'A code of an authenticator app is then needed at every sign-in with the password.',
  scan: 'Scan the picture with an authenticator app, or type the secret there. Then enter the code that it shows.',
  codes: 'The second factor is on. These are shown this once: without them a lost phone locks you out.',
} as const

/**
 * Turns the second factor on: the password, the secret with the first code, and what is shown once. Its steps are read again after their
 * values were emptied.
 */
export const EnrolDialog = component$<{ open: Signal<boolean> }>(({ open }) => {
  const begun = useSignal<Begun>()
  const issued = useSignal<Issued>()
  const isAsking = useSignal(false)
  const step = issued.value ? 'codes' : begun.value ? 'scan' : 'password'
  const close = $(() => {
    open.value = false
  })
  return (
    <>
      <Dialog
        open={open}
        title={step === 'codes' ? 'Keep the recovery codes' : 'Turn the second factor on'}
        description={descriptions[step]}
        onCloseAsked$={$(() => {
          if (issued.value) isAsking.value = true
          else open.value = false
        })}
        onClose$={$(() => {
          begun.value = undefined
          issued.value = undefined
        })}
      >
        {open.value && !begun.value && <PasswordStep open={open} begun={begun} />}
        {begun.value && !issued.value && <ScanStep open={open} begun={begun.value} issued={issued} />}
        {issued.value && <RecoveryCodes issued={issued.value} />}
        {issued.value && (
          <div class="mt-4 flex justify-end">
            <Button variant="primary" onClick$={close}>
              I have stored them
            </Button>
          </div>
        )}
      </Dialog>
      <Confirm
        open={isAsking}
        level="danger"
        title="Are the recovery codes stored?"
        description="They cannot be shown again. Without the app and without them the second factor is removed only where the service runs."
        confirmLabel="They are stored, close"
        cancelLabel="Back to the codes"
        onConfirm$={$(() => {
          isAsking.value = false
          open.value = false
        })}
      />
    </>
  )
})

const PasswordStep = component$<{ open: Signal<boolean>; begun: Signal<Begun | undefined> }>(({ open, begun }) => {
  const password = useSignal('')
  const begin = useAction$((text: string) => call('POST /auth/second-factor', { body: { password: text } }))
  const submit = $(async (_: SubmitEvent, form: HTMLFormElement) => {
    // Read from the form itself: a password manager may fill it without an event.
    const answer = await begin.run(String(new FormData(form).get('password')))
    // The dialog may be closed by now.
    if (answer && open.value) begun.value = answer
  })
  return (
    <form method="post" preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
      <Field label="Password of the local admin">
        <TextInput value={password} name="password" type="password" autoComplete="current-password" required data-autofocus="" />
      </Field>
      <ErrorAlert error={begin.error} />
      <div class="flex justify-end gap-2">
        <CancelButton open={open} />
        <Button type="submit" variant="primary" changes="POST /auth/second-factor" pending={begin.isPending}>
          Continue
        </Button>
      </div>
    </form>
  )
})

const ScanStep = component$<{ open: Signal<boolean>; begun: Begun | undefined; issued: Signal<Issued | undefined> }>((props) => {
  const formId = useId()
  const code = useSignal('')
  const confirm = useAction$((text: string) => call('POST /auth/second-factor/confirm', { body: { code: text } }))
  const submit = $(async (_: SubmitEvent, form: HTMLFormElement) => {
    const answer = await confirm.run(String(new FormData(form).get('code')).trim())
    if (!answer) return
    // Shown also when the dialog was closed during the request: the factor is on.
    props.issued.value = answer
    props.open.value = true
    invalidate(['GET /auth/second-factor'])
  })
  return (
    <form id={formId} method="post" preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center gap-5">
        <QrCode text={props.begun?.uri ?? ''} label="QR code of the secret" />
        <div class="min-w-0 flex-1 basis-52">
          <p class="mb-1 text-sm text-muted">Secret, base32</p>
          <code class="font-mono text-sm [overflow-wrap:anywhere]">{props.begun?.secret}</code>{' '}
          <CopyButton text={props.begun?.secret ?? ''} label="secret" />
          <p class="mt-3 text-xs text-muted">It ends unless its first code is confirmed within ten minutes.</p>
        </div>
      </div>
      <Field label="Code of the app">
        <TextInput value={code} name="code" mono inputMode="numeric" autoComplete="one-time-code" required data-autofocus="" />
      </Field>
      <ErrorAlert error={confirm.error} />
      <div class="flex justify-end gap-2">
        <CancelButton open={props.open} pending={confirm.isPending} />
        <Button type="submit" variant="primary" changes="POST /auth/second-factor/confirm" pending={confirm.isPending}>
          Turn on
        </Button>
      </div>
    </form>
  )
})
