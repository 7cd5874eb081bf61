import { $, component$, useSignal } from '@builder.io/qwik'
import {
  Badge,
  Button,
  Confirm,
  Dialog,
  Field,
  KeyValue,
  KeyValues,
  Menu,
  type MenuItem,
  Sheet,
  TabLinks,
  Tabs,
  TextInput,
  Timeline,
  Tooltip,
} from '../../kit/index.ts'
import { Part, Row } from './part.tsx'

const actions: readonly MenuItem[] = [
  { id: 'download', label: 'Download', icon: 'download', to: '#download', download: true },
  { id: 'versions', label: 'Versions', icon: 'layers' },
  { id: 'restore', label: 'Restore', icon: 'undo-2', lockedReason: 'This version is the current one.' },
  { id: 'delete', label: 'Delete', icon: 'trash', danger: true, separated: true },
]

export const Dialogs = component$(() => {
  const form = useSignal(false)
  const sheet = useSignal(false)
  const review = useSignal(false)
  const danger = useSignal(false)
  const typed = useSignal(false)
  const pending = useSignal(false)
  const error = useSignal<string>()
  const name = useSignal('')
  const confirmed = useSignal('')
  const open = [
    ['Dialog', form],
    ['Sheet', sheet],
    ['Review', review],
    ['Danger', danger],
    ['Typed', typed],
  ] as const
  return (
    <Part title="Dialogs">
      <Row>
        {open.map(([label, signal]) => (
          <Button
            key={label}
            onClick$={() => {
              signal.value = true
            }}
          >
            {label}
          </Button>
        ))}
        <span role="status" class="text-xs text-muted">
          {confirmed.value}
        </span>
      </Row>
      <Dialog open={form} title="Create bucket" description="Its copies are paid from the first object on.">
        <Field label="Name">
          <TextInput value={name} />
        </Field>
        <Button q:slot="footer" variant="primary">
          Create
        </Button>
      </Dialog>
      <Sheet open={sheet} title="media-archive" description="Bucket">
        <KeyValues>
          <KeyValue label="Objects" value="18,204" />
          <KeyValue label="Health">
            <Badge tone="success">healthy</Badge>
          </KeyValue>
        </KeyValues>
      </Sheet>
      <Confirm
        open={review}
        level="review"
        title="Change the owner?"
        rows={[
          { label: 'Bucket', to: 'media-archive' },
          { label: 'Owner', from: 'alice', to: 'bob' },
        ]}
        confirmLabel="Change owner"
        onConfirm$={$(() => {
          review.value = false
          confirmed.value = 'review confirmed'
        })}
      />
      <Confirm
        open={danger}
        level="danger"
        title="Delete report.pdf?"
        description="It moves to the trash. All of its versions stay."
        confirmLabel="Delete"
        error={error.value}
        onConfirm$={$(() => {
          error.value = 'Storage work is active for this object. Try again when its tasks have ended.'
        })}
      />
      <Confirm
        open={typed}
        level="typed"
        word="media-archive"
        title="Replace the provider?"
        description="A new paid data set starts and the old one ends."
        confirmLabel="Replace"
        pending={pending.value}
        onConfirm$={$(() => {
          pending.value = true
          confirmed.value = 'typed confirmed'
        })}
      />
    </Part>
  )
})

export const Menus = component$(() => {
  const chosen = useSignal('')
  const tab = useSignal('objects')
  return (
    <Part title="Menus and tabs">
      <Row>
        <Menu
          label="Actions"
          items={actions}
          onChoose$={(id) => {
            chosen.value = id
          }}
        />
        <Menu
          label="More"
          text
          icon="settings"
          align="start"
          items={actions}
          onChoose$={(id) => {
            chosen.value = id
          }}
        />
        <Tooltip text="Available copies of the copies asked for" focusable>
          <Badge tone="info">2 of 3</Badge>
        </Tooltip>
        <span role="status" class="text-xs text-muted">
          {chosen.value && `Chosen: ${chosen.value}`}
        </span>
      </Row>
      <Tabs
        label="Bucket"
        value={tab}
        tabs={[
          { id: 'objects', label: 'Objects', icon: 'file', count: '18.2K' },
          { id: 'trash', label: 'Trash', icon: 'trash' },
          { id: 'settings', label: 'Settings', problem: 'has an error' },
        ]}
      >
        <p class="text-sm">The panel of {tab.value}.</p>
      </Tabs>
      <TabLinks
        label="Pages of the bucket"
        current="all"
        tabs={[
          { id: 'all', label: 'All', to: '#all' },
          { id: 'failed', label: 'Failed', to: '#failed', count: 3 },
        ]}
      />
      <Timeline
        label="Versions"
        entries={[
          { id: 'c', title: 'Restored from version 1', time: Date.now() - 60_000, tone: 'info', icon: 'undo-2' },
          { id: 'b', title: 'Deleted', time: Date.now() - 3_600_000, tone: 'danger', icon: 'trash', text: 'Delete marker' },
          { id: 'a', title: 'Uploaded', time: Date.now() - 86_400_000, tone: 'success', icon: 'upload', text: '1.5 GiB by alice' },
        ]}
      />
    </Part>
  )
})
