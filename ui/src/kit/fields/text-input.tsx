import { component$, type PropsOf } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from '../bound.ts'
import { controlClass, useField } from './field.tsx'

interface TextInputProps extends Omit<PropsOf<'input'>, 'value' | 'class' | 'bind:value' | 'type'>, BoundProps<string> {
  type?: 'text' | 'password' | 'url' | 'email' | undefined
  /** Fixed-width letters, for keys and addresses. */
  mono?: boolean | undefined
}

/** One line of text. */
export const TextInput = component$<TextInputProps>((props) => {
  const field = useField()
  const { value, onValue$, mono, type, disabled, ...rest } = props
  return (
    <input
      dir="auto"
      autoComplete="off"
      spellcheck={false}
      {...field.attributes}
      {...rest}
      type={type ?? 'text'}
      class={[controlClass(field.invalid), mono && 'font-mono']}
      disabled={disabled || field.locked}
      value={readBound(value)}
      onInput$={(_, input) => writeBound({ value, onValue$ }, input.value)}
    />
  )
})
