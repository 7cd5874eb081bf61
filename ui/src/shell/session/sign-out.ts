import { ApiError } from '../../data/api-error.ts'
import { signOut } from '../../data/session.ts'
import { toast } from '../toasts.ts'

/** Signs out. While the service has not confirmed it, the pages stay: the cookie of this browser may still be valid. */
export async function signOutOrSay(): Promise<void> {
  try {
    await signOut()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    toast({ tone: 'danger', title: 'You may still be signed in', text: error.message })
  }
}
