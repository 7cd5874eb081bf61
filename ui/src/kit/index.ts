/** The components of the dashboard. Pages and plugins import them from `@svc/ui-kit`. */
export { Alert, type AlertProps, Banner } from './alert.tsx'
export { Badge, type BadgeProps, Dot } from './badge.tsx'
export { type BoundProps, readBound, writeBound } from './bound.ts'
export {
  Button,
  type ButtonProps,
  type ButtonVariant,
  buttonClass,
  IconButton,
  type IconButtonProps,
  LinkButton,
  type LinkButtonProps,
} from './button.tsx'
export { Card, type CardProps, StatCard, type StatCardProps } from './card.tsx'
export { Checkbox, CheckMark, type CheckMarkProps } from './checkbox.tsx'
export { Confirm, type ConfirmProps, type ReviewRow, ReviewTable } from './confirm.tsx'
export { Copyable, type CopyableProps, CopyButton, type CopyButtonProps, copyText, KeyText, type KeyTextProps } from './copyable.tsx'
export { CancelButton, Dialog, type DialogProps, type ModalProps, Sheet } from './dialog.tsx'
export { Empty, type EmptyProps } from './empty.tsx'
export { ErrorAlert, type ErrorAlertProps } from './error-alert.tsx'
export { controlClass, Field, type FieldProps, useField } from './field.tsx'
export { Ago, Bytes, Count, Money, type MoneyProps } from './figures.tsx'
export { type ActiveFilter, FilterBar, type FilterBarProps } from './filter-bar.tsx'
export { absent, type Numeric, toInteger } from './format/absent.ts'
export { formatByteRate, formatBytes, formatExactBytes } from './format/bytes.ts'
export { formatCount, formatExactCount, formatPercent, formatPlural } from './format/counts.ts'
export { shortenId, shortenKey, showHidden } from './format/ids.ts'
export { formatExactMoney, formatMoney, parseMoney } from './format/money.ts'
export { formatAgo, formatDuration, formatExactTime, type Time, toMillis } from './format/times.ts'
export { type Health, HealthBadge, type HealthStatus, healthReasons, healthTones, healthWords } from './health.tsx'
export { Icon, type IconProps } from './icon.tsx'
export { type IconName, iconNames } from './icon-names.ts'
export { Kbd } from './kbd.tsx'
export { KeyValue, type KeyValueProps, KeyValues } from './key-values.tsx'
export { Menu, type MenuItem, type MenuProps } from './menu.tsx'
export { NumberStepper, type NumberStepperProps } from './number-stepper.tsx'
export { type Crumb, Crumbs, PageHeader, type PageHeaderProps } from './page-header.tsx'
export { Pager, type PagerProps } from './pager.tsx'
export { Progress, type ProgressProps, Spinner } from './progress.tsx'
export { RadioGroup, type RadioGroupProps, type RadioOption } from './radio-group.tsx'
export { SearchField, type SearchFieldProps } from './search-field.tsx'
export { Select, type SelectOption, type SelectProps } from './select.tsx'
export { Skeleton, SkeletonLines } from './skeleton.tsx'
export { type Step, Stepper } from './stepper.tsx'
export { Switch } from './switch.tsx'
export { type Column, Table, type TableProps } from './table.tsx'
export { type LinkedTab, type Tab, TabLinks, Tabs, type TabsProps } from './tabs.tsx'
export { TextArea, type TextAreaProps, TextInput, type TextInputProps } from './text-input.tsx'
export { Timeline, type TimelineEntry } from './timeline.tsx'
export type { ToggleProps } from './toggle-row.tsx'
export { type Tone, toneBox, toneFill, toneIcons, toneStroke, tones, toneText } from './tone.ts'
export { Tooltip, type TooltipProps } from './tooltip.tsx'
export { useNow } from './use-now.ts'
