import type { ChoiceField, ChoicesField, FieldChoice } from '../../../index.ts'

/** Returns a field's choices, each with its label. */
export function choicesOf(field: ChoiceField | ChoicesField): readonly FieldChoice[] {
  if (field.type === 'array')
    return 'anyOf' in field.items ? field.items.anyOf : named(field.items.enum)
  return 'oneOf' in field ? field.oneOf : named(field.enum, field.enumNames)
}

function named(values: readonly string[], names: readonly string[] = values): FieldChoice[] {
  return values.map((value, at) => ({ const: value, title: names[at] ?? value }))
}
