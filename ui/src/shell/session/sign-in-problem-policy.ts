export interface SignInProblem {
  readonly title: string
  readonly text: string
}

/** What went wrong at the identity provider, as the service says it in the address. */
const problems: Readonly<Record<string, SignInProblem>> = {
  busy: { title: 'Too many sign-ins at once', text: 'Try again in a moment.' },
  cancelled: { title: 'Sign-in cancelled', text: 'The identity provider says that you cancelled. You can start again.' },
  expired: {
    title: 'The sign-in took too long',
    text: 'It was begun more than ten minutes ago, in another browser, or was used already. Start again.',
  },
  no_role: {
    title: 'You have no role here',
    text: 'You are signed in at the identity provider, but in no group that may use this service. Ask its administrator.',
  },
  refused: {
    title: 'The sign-in was refused',
    text: 'The answer of the identity provider is not valid. The log of the service has the reason.',
  },
  unreachable: {
    title: 'The identity provider does not answer',
    text: 'Try again later, or sign in with the password of the local admin.',
  },
}

export function describeProblem(search: string): SignInProblem | undefined {
  const code = new URLSearchParams(search).get('sign_in') ?? ''
  return Object.hasOwn(problems, code) ? problems[code] : undefined
}
