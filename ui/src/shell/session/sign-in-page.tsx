import { component$, type Signal, useSignal, useTask$, useVisibleTask$ } from '@builder.io/qwik'
import { Alert } from '../../kit/alert.tsx'
import { Logo } from '../logo.tsx'
import { SignInForm } from './sign-in-form.tsx'
import type { SignInProblem } from './sign-in-problem-policy.ts'

/** Replaces the page that was asked for: the address stays. */
export const SignInPage = component$(() => {
  useTask$(() => {
    document.title = 'Sign in · svc'
  })
  const problem = useSignal<SignInProblem>()
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the address is known in the browser alone
  useVisibleTask$(() => void showProblem(problem), { strategy: 'document-ready' })
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the field is focused when it is drawn
  useVisibleTask$(() => document.querySelector<HTMLElement>('[data-autofocus]')?.focus(), { strategy: 'document-ready' })
  return (
    <main class="grid min-h-dvh place-items-center bg-bg p-4">
      <div class="w-full max-w-92">
        <div class="mb-6 flex flex-col items-center gap-3 text-center">
          <Logo size={40} />
          <div>
            <h1 class="text-xl font-semibold tracking-tight">Sign in to svc</h1>
            <p class="mt-1 text-sm text-muted">S3 gateway to Filecoin Onchain Cloud</p>
          </div>
        </div>
        <div class="rounded-lg border bg-panel p-5">
          {problem.value && (
            <div class="mb-4">
              <Alert tone="danger" title={problem.value.title} live>
                {problem.value.text}
              </Alert>
            </div>
          )}
          <SignInForm />
        </div>
        <p class="mt-4 text-center text-xs text-muted">
          Forgotten the password? Run <code class="font-mono">svc admin-auth reset-password</code> where the service runs.
        </p>
      </div>
    </main>
  )
})

/** Its texts are loaded only after a failure. */
async function showProblem(problem: Signal<SignInProblem | undefined>): Promise<void> {
  if (!location.search.includes('sign_in=')) return
  problem.value = (await import('./sign-in-problem-policy.ts')).describeProblem(location.search)
}
