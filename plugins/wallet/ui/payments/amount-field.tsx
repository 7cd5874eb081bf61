import { component$, type Signal } from '@builder.io/qwik'
import { Button, Field, TextInput } from '@svc/ui-kit'

export interface Preset {
  readonly label: string
  /** The amount as it is typed. */
  readonly amount: string
  /** Why it is not offered. */
  readonly lockedReason?: string | undefined
}

interface AmountFieldProps {
  value: Signal<string>
  help: string
  problem: string | undefined
  presets: readonly Preset[]
  /** It cannot be changed now; it is still sent. */
  isFixed: boolean
}

/** An amount of USDFC, with the usual ones to choose. */
export const AmountField = component$<AmountFieldProps>(({ value, help, problem, presets, isFixed }) => (
  <div class="flex flex-col gap-2.5">
    <Field label="Amount in USDFC" required help={help} error={problem}>
      <TextInput name="amount" value={value} inputMode="decimal" mono readOnly={isFixed} data-autofocus="" />
    </Field>
    <div class="flex flex-wrap gap-2">
      {presets.map(({ label, amount, lockedReason: why }) => (
        <Button
          key={label}
          size="sm"
          disabled={isFixed}
          lockedReason={why}
          onClick$={() => {
            value.value = amount
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  </div>
))
