import { component$, type Signal } from '@builder.io/qwik'
import { apiPath, Button, call, ErrorAlert, useAction$ } from '@svc/ui-kit'
import { targetsOfRows } from './row-targets.ts'

/** Selected objects and folders as one ZIP file, which the browser saves as it arrives. */
export const DownloadSelected = component$<{ bucket: string; selected: Signal<readonly string[]> }>(({ bucket, selected }) => {
  const prepare = useAction$(async () => {
    const targets = targetsOfRows(selected.value)
    const { ticket } = await call('POST /buckets/:name/archives', { params: { name: bucket }, body: { targets } })
    // A link that the browser follows by itself: the bytes do not pass through this page.
    const link = document.createElement('a')
    link.href = apiPath('GET /archives/:ticket', { params: { ticket } })
    link.download = `${bucket}.zip`
    link.click()
  })
  return (
    <>
      <ErrorAlert error={prepare.error} />
      <Button size="sm" icon="download" pending={prepare.isPending} onClick$={() => prepare.run()}>
        Download as ZIP
      </Button>
    </>
  )
})
