import { Observable, onSignOut } from '@svc/ui-kit'

/** The bulk action that this tab started last. */
export const startedAction = new Observable<{ readonly bucket: string; readonly id: number } | undefined>(undefined)

onSignOut(() => {
  startedAction.value = undefined
})
