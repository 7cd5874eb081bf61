import { Icon, toneStroke, toneText } from '@svc/ui-kit'
import { describeState, type ObjectItem } from './state-policy.ts'

/** How far the copies of an object are: a mark and a word; a ring with the percentage while its bytes are sent. */
export const StateMark = ({ item }: { item: Pick<ObjectItem, 'state' | 'status' | 'attention_code' | 'progress' | 'copies'> }) => {
  const { tone, icon, word, text } = describeState(item)
  const percent = item.state === 'uploading' && item.progress && !item.progress.done ? item.progress.percent : undefined
  return (
    <span title={text} class="inline-flex align-middle items-center gap-1.5 whitespace-nowrap">
      {percent === undefined ? <Icon name={icon} class={toneText[tone]} /> : <Ring percent={percent} />}
      {word}
      {percent !== undefined && <span class="text-muted">{percent}%</span>}
    </span>
  )
}

const Ring = ({ percent }: { percent: number }) => (
  <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke-width="2.5" aria-hidden="true" class="shrink-0 -rotate-90">
    <circle cx="8" cy="8" r="6" class="stroke-line" />
    <circle cx="8" cy="8" r="6" pathLength={100} stroke-dasharray={`${percent} 100`} class={toneStroke.info} />
  </svg>
)
