import { component$, type Signal } from '@builder.io/qwik'
import { Button, Field, TextInput } from '@svc/ui-kit'

export interface Preset {
  readonly label: string
  /** As it is typed. */
  readonly amount: string
  /** Why it is not offered. */
  readonly lockedReason?: string | undefined
}

interface AmountFieldProps {
  value: Signal<string>
  help: string
  problem: string | undefined
  presets: readonly Preset[]
  lockedReason?: string | undefined
  disabled?: boolean | undefined
}

/** An amount of USDFC, with the usual ones to choose. */
export const AmountField = component$<AmountFieldProps>(({ value, help, problem, presets, lockedReason, disabled }) => (
  <div class="flex flex-col gap-2.5">
    <Field label="Amount in USDFC" required help={help} error={problem} lockedReason={lockedReason}>
      <TextInput name="amount" value={value} inputMode="decimal" mono readOnly={disabled} data-autofocus="" />
    </Field>
    <div class="flex flex-wrap gap-2">
      {presets.map(({ label, amount, lockedReason: why }) => (
        <Button
          key={label}
          size="sm"
          disabled={disabled || lockedReason !== undefined}
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
