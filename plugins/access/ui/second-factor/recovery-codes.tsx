import { $, component$ } from '@builder.io/qwik'
import { Button, CopyButton } from '@svc/ui-kit'
import { type Issued, recoveryText } from './recovery-text-policy.ts'

/** What turning the second factor on shows once. */
export const RecoveryCodes = component$<{ issued: Issued | undefined }>((props) => {
  const download = $(() => {
    if (!props.issued) return
    const url = URL.createObjectURL(new Blob([recoveryText(props.issued, location.host)], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = 'svc-recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(url)
  })
  return (
    <div class="flex flex-col gap-4">
      <section aria-label="Recovery codes" class="rounded-md border">
        <div class="flex items-center justify-between gap-2 border-b px-3 py-1.5 text-sm">
          <span class="text-muted">Recovery codes: each signs in once, in place of a code of the app</span>
          <CopyButton text={props.issued?.recovery_codes.join('\n') ?? ''} label="recovery codes" />
        </div>
        <ul class="grid grid-cols-1 gap-x-6 gap-y-1 px-3 py-2.5 font-mono text-xs sm:grid-cols-2">
          {props.issued?.recovery_codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </section>
      <section aria-label="Password of scripts" class="rounded-md border">
        <div class="flex items-center justify-between gap-2 border-b px-3 py-1.5 text-sm">
          <span class="text-muted">Password of scripts: HTTP Basic and svc admin take it in place of yours</span>
          <CopyButton text={props.issued?.script_password ?? ''} label="password of scripts" />
        </div>
        <code class="block px-3 py-2.5 font-mono text-xs [overflow-wrap:anywhere]">{props.issued?.script_password}</code>
      </section>
      <div>
        <Button size="sm" icon="download" onClick$={download}>
          Download as a text file
        </Button>
      </div>
    </div>
  )
})
