import { component$ } from '@builder.io/qwik'
import { absent, type Numeric } from './format/absent.ts'
import { formatBytes, formatExactBytes } from './format/bytes.ts'
import { formatCount, formatExactCount } from './format/counts.ts'
import { formatMoney } from './format/money.ts'
import { formatAgo, formatExactTime, type Time } from './format/times.ts'
import { useNow } from './use-now.ts'

interface FigureProps {
  /** Decimal digits or a number; absent shows a dash. */
  value: Numeric | null | undefined
}

/** An absent figure, read as "none". */
const Absent = () => (
  <span class="text-muted">
    <span aria-hidden="true">{absent}</span>
    <span class="sr-only">none</span>
  </span>
)

/** `1.5 GiB`; exact bytes in the title. */
export const Bytes = ({ value }: FigureProps) => {
  const text = formatBytes(value)
  return text === absent ? <Absent /> : <span title={formatExactBytes(value)}>{text}</span>
}

/** `18.2K`; exact count in the title. */
export const Count = ({ value }: FigureProps) => {
  const text = formatCount(value)
  return text === absent ? <Absent /> : <span title={formatExactCount(value)}>{text}</span>
}

interface MoneyProps extends FigureProps {
  token?: 'USDFC' | 'FIL' | undefined
  /** Most fraction digits; 4 by default. */
  digits?: number | undefined
  /** A price: rounded up. */
  price?: boolean | undefined
}

/** `1.94 USDFC`; the exact amount in the title. Base units of a token with 18 decimals. */
export const Money = ({ value, token = 'USDFC', digits, price }: MoneyProps) => {
  const text = formatMoney(value, { digits, up: price })
  return text === absent ? <Absent /> : <span title={`${formatMoney(value, { digits: 18 })} ${token}`}>{`${text} ${token}`}</span>
}

/** `5m ago`, kept current; exact time in the title. */
export const Ago = component$<{ time: Time | null | undefined }>(({ time }) => {
  const now = useNow()
  const text = formatAgo(time, now.value)
  if (text === absent) return <Absent />
  const exact = formatExactTime(time)
  return (
    <time dateTime={exact.replace(' ', 'T').replace(' UTC', 'Z')} title={exact} class="whitespace-nowrap">
      {text}
    </time>
  )
})
