import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { address } from '../router/location.ts'
import { BannerArea } from './banner-area.tsx'
import { Outlet } from './outlet.tsx'
import { Palette } from './palette-view.tsx'
import { SignInOverlay } from './session/sign-in-overlay.tsx'
import { ShortcutHelp } from './shortcut-help.tsx'
import { isHelpOpen } from './shortcuts.ts'
import { drawerId, Sidebar } from './sidebar.tsx'
import { ToastHost } from './toast-host.tsx'
import { TopBar } from './top-bar.tsx'
import { TransferTray } from './transfer-tray.tsx'
import { transfers } from './transfers.ts'

/** The frame of all pages. */
export const Shell = component$<{ isSetup: boolean }>(({ isSetup }) => {
  const current = useObservable(address)
  const help = useObservable(isHelpOpen)
  const uploads = useObservable(transfers)
  /** Scripts that are loaded when they are first needed; then they stay, so that a dialog closes as others do. */
  const hasHelp = useSignal(false)
  const hasUploads = useSignal(false)
  useTask$(({ track }) => {
    if (track(() => help.value)) hasHelp.value = true
  })
  useTask$(({ track }) => {
    if (track(() => uploads.value.length) > 0) hasUploads.value = true
  })
  useTask$(({ track }) => {
    track(() => current.value)
    // The menu covers the page on a phone.
    const drawer = document.getElementById(drawerId)
    if (drawer instanceof HTMLDialogElement) drawer.close()
  })
  return (
    <>
      <a
        href="#main"
        class="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-panel focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <div class="flex min-h-dvh">
        <Sidebar />
        <div class="flex min-w-0 flex-1 flex-col">
          <TopBar isSetup={isSetup} />
          <BannerArea isSetup={isSetup} />
          <main id="main" tabIndex={-1} class="mx-auto w-full max-w-340 flex-1 px-4 py-5 outline-none sm:px-6 sm:py-6">
            <Outlet isSetup={isSetup} />
          </main>
        </div>
      </div>
      {hasUploads.value && <TransferTray />}
      <ToastHost />
      <Palette />
      {hasHelp.value && <ShortcutHelp />}
      <SignInOverlay />
    </>
  )
})
