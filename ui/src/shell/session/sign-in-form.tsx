import { $, component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { ApiError } from '../../data/api-error.ts'
import { signIn } from '../../data/session.ts'
import { Alert } from '../../kit/alert.tsx'
import { Button } from '../../kit/button.tsx'
import { Checkbox } from '../../kit/fields/checkbox.tsx'
import { Field } from '../../kit/fields/field.tsx'
import { TextInput } from '../../kit/fields/text-input.tsx'
import { ExternalWays } from './external-ways.tsx'
import { passwordAlone, readMethods } from './sign-in-methods.ts'

/** Wait without a Retry-After header. */
const defaultWaitSeconds = 60

const endOfWait = ({ retryAfterSeconds = defaultWaitSeconds }: ApiError): number => Date.now() + retryAfterSeconds * 1000

const describeRefusal = ({ status, code, message }: ApiError, hasCode: boolean): string => {
  if (status !== 401 || code === 'second_factor_required') return message
  return `The user name${hasCode ? ', the code' : ''} or the password is wrong.`
}

/** Read from the form itself: a password manager may fill it without an event. */
function readForm(form: HTMLFormElement, hasCode: boolean): Parameters<typeof signIn>[0] {
  const written = new FormData(form)
  return {
    username: String(written.get('username')),
    password: String(written.get('password')),
    remember: written.get('remember') !== null,
    ...(hasCode && { code: String(written.get('code')).trim() }),
  }
}

/** User, password and the wait after too many failures. */
export const SignInForm = component$<{ username?: string }>(({ username: known = 'admin' }) => {
  const methods = useSignal(passwordAlone)
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the form is shown at once, and the other ways when the service has named them
  useVisibleTask$(() => void readMethods(methods), { strategy: 'document-ready' })
  const username = useSignal(known)
  const password = useSignal('')
  const remember = useSignal(false)
  const code = useSignal('')
  const isPending = useSignal(false)
  const problem = useSignal('')
  const blockedUntilMs = useSignal(0)
  const waitSeconds = useSignal(0)
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the countdown needs no further event to start
  useVisibleTask$(
    ({ track, cleanup }) => {
      const untilMs = track(() => blockedUntilMs.value)
      const count = () => {
        waitSeconds.value = Math.max(0, Math.ceil((untilMs - Date.now()) / 1000))
        if (waitSeconds.value === 0) clearInterval(timer)
      }
      const timer = setInterval(count, 250)
      count()
      cleanup(() => clearInterval(timer))
    },
    { strategy: 'document-ready' },
  )
  const submit = $(async (_: SubmitEvent, form: HTMLFormElement) => {
    if (isPending.value || blockedUntilMs.value > Date.now()) return
    const hasCode = methods.value.second_factor
    isPending.value = true
    problem.value = ''
    try {
      await signIn(readForm(form, hasCode))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The second factor may have been turned on since this page asked.
      void readMethods(methods)
      if (error.status === 429) blockedUntilMs.value = endOfWait(error)
      else problem.value = describeRefusal(error, hasCode)
    } finally {
      isPending.value = false
    }
  })
  return (
    <form preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
      <Field label="User name">
        <TextInput value={username} name="username" autoComplete="username" required />
      </Field>
      <Field label="Password">
        <TextInput value={password} name="password" type="password" autoComplete="current-password" required data-autofocus="" />
      </Field>
      {methods.value.second_factor && (
        <Field label="Code">
          <TextInput value={code} name="code" autoComplete="one-time-code" required />
        </Field>
      )}
      <Checkbox
        value={remember}
        name="remember"
        label="Keep me signed in"
        help="For at least 30 days. Choose it only on a device that you trust."
      />
      {waitSeconds.value > 0 ? (
        <Alert tone="warning" title="Too many failed passwords" live>
          Sign-in from this address is possible again in <strong>{waitSeconds.value}</strong> s.
        </Alert>
      ) : (
        problem.value !== '' && (
          <Alert tone="danger" live>
            {problem.value}
          </Alert>
        )
      )}
      <Button type="submit" variant="primary" pending={isPending.value} disabled={waitSeconds.value > 0} class="w-full">
        Sign in
      </Button>
      {methods.value.external.length > 0 && <ExternalWays ways={methods.value.external} />}
    </form>
  )
})
