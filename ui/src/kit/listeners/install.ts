import { listenForDialogs } from './dialogs.ts'
import { listenForPopovers } from './popovers.ts'
import { listenForRoving } from './roving.ts'
import { listenForTooltips } from './tooltips.ts'

/** Called once by main.tsx before the first render. */
export function installKitListeners(): void {
  listenForRoving(document)
  listenForPopovers(document)
  listenForDialogs(document)
  listenForTooltips(document)
}
