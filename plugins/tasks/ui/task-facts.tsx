import { component$ } from '@builder.io/qwik'
import { Ago, Copyable, hrefOf, KeyText, KeyValue, KeyValues, Link } from '@svc/ui-kit'
import { folderOf, providerText, retriesText, subjectName, type Task } from './task-status-policy.ts'

/** The evidence, and below it the record as the API gave it. */
export const TaskFacts = component$<{ task: Task }>(({ task }) => {
  const { subject } = task
  const provider = providerText(subject)
  return (
    <>
      <KeyValues>
        <KeyValue label="Type">
          <code class="font-mono text-xs">{task.type}</code>
        </KeyValue>
        <KeyValue label={subjectName(subject.type)}>
          <Copyable text={subject.key} label="subject" keep={16} />
        </KeyValue>
        {subject.bucket !== undefined && (
          <KeyValue label="Bucket">
            <Link to="/buckets/:name" params={{ name: subject.bucket }} class="text-accent hover:underline">
              {subject.bucket}
            </Link>
          </KeyValue>
        )}
        {subject.bucket !== undefined && subject.object_key !== undefined && (
          <KeyValue label="Object">
            <a
              href={hrefOf(
                '/buckets/:name',
                { name: subject.bucket },
                { prefix: folderOf(subject.object_key), object: subject.object_key },
              )}
              class="text-accent hover:underline"
            >
              <KeyText text={subject.object_key} wrap />
            </a>
          </KeyValue>
        )}
        {provider !== undefined && <KeyValue label="At" value={provider} />}
        <KeyValue label="Retries">{retriesText(task)}</KeyValue>
        <KeyValue label="Created">
          <Ago time={task.created_at} />
        </KeyValue>
        <KeyValue label="Earliest next run">
          <Ago time={task.available_at} />
        </KeyValue>
        {task.started_at !== undefined && (
          <KeyValue label="Started">
            <Ago time={task.started_at} />
          </KeyValue>
        )}
        {task.finished_at !== undefined && (
          <KeyValue label="Finished">
            <Ago time={task.finished_at} />
          </KeyValue>
        )}
        {task.acknowledged_at !== undefined && (
          <KeyValue label="Dismissed">
            <Ago time={task.acknowledged_at} />
          </KeyValue>
        )}
      </KeyValues>
      <details class="rounded-md border">
        <summary class="cursor-pointer rounded-md px-3 py-2 text-sm font-medium">Recorded facts</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre tabIndex={0} class="overflow-x-auto border-t px-3 py-2 font-mono text-xs">
          {JSON.stringify(task, null, 2)}
        </pre>
      </details>
    </>
  )
})
