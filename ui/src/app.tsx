import { component$ } from '@builder.io/qwik'
import { useObservable } from './data/observable.ts'
import { boot } from './data/session.ts'
import { SignInPage } from './shell/session/sign-in-page.tsx'
import { Shell } from './shell/shell.tsx'
import { UnreachablePage } from './shell/unreachable-page.tsx'

/** What is shown first. While the service is asked, the frame in index.html stays. */
export const App = component$(() => {
  const phase = useObservable(boot)
  if (phase.value === 'checking') return null
  if (phase.value === 'login') return <SignInPage />
  if (phase.value === 'unreachable') return <UnreachablePage />
  return <Shell isSetup={phase.value === 'setup'} />
})
