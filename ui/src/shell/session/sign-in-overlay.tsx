import { component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { useObservable } from '../../data/observable.ts'
import { isSignedOut, session } from '../../data/session.ts'
import { Logo } from '../logo.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** The session ended: sign in above the page, which keeps its forms. */
export const SignInOverlay = component$(() => {
  const isOpen = useObservable(isSignedOut)
  const current = useObservable(session)
  const dialog = useSignal<HTMLDialogElement>()
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the browser opens a dialog only by a call on its element
  useVisibleTask$(
    ({ track }) => {
      const wanted = track(() => isOpen.value)
      const element = dialog.value
      if (!element || element.open === wanted) return
      if (!wanted) return element.close()
      element.showModal()
      element.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    },
    { strategy: 'document-ready' },
  )
  return (
    // Locked: Esc would show a page whose every request is refused.
    <dialog
      ref={dialog}
      aria-labelledby="sign-in-again"
      data-locked=""
      class="kit-rise fixed m-auto w-92 max-w-[calc(100vw-24px)] rounded-lg p-5 backdrop:backdrop-blur-xs"
    >
      <div class="mb-4 flex items-start gap-3">
        <Logo size={32} />
        <div>
          <h2 id="sign-in-again" class="text-lg font-semibold">
            Sign in again
          </h2>
          <p class="text-sm text-muted">The session has ended. What you typed on the page is kept.</p>
        </div>
      </div>
      {isOpen.value && <SignInForm username={current.value?.username.replace(/^oidc:.*/, 'admin') ?? 'admin'} />}
    </dialog>
  )
})
