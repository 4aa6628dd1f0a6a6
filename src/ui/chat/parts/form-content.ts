import type {
  FieldSchema,
  FieldsSchema,
  FieldValue,
  FieldValues,
  ChoiceField,
  ChoicesField,
  FieldChoice,
} from '../../../index.ts'

/**
 * Reads a person's answers from a question's form. Controls have the names of the fields. The value of a choice is its
 * index, because a choice may be ''. Empty answers are left out.
 */
export function readFormValues(schema: FieldsSchema, form: HTMLFormElement): FieldValues {
  const data = new FormData(form)
  const content: Record<string, FieldValue> = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const isRequired = schema.required?.includes(name) === true
    const value = valueOf(field, data.getAll(name).map(String), isRequired)
    if (value !== undefined) content[name] = value
  }
  return content
}

function valueOf(
  field: FieldSchema,
  values: readonly string[],
  isRequired: boolean,
): FieldValue | undefined {
  const [first = ''] = values
  switch (field.type) {
    case 'boolean':
      return values.length > 0
    case 'number':
    case 'integer':
      return first === '' ? undefined : Number(first)
    case 'array': {
      const choices = choicesOf(field)
      const chosen = values.flatMap((at) => choices[Number(at)]?.const ?? [])
      return chosen.length > 0 || isRequired ? chosen : undefined
    }
    case 'string':
      if (first === '') return undefined
      if ('enum' in field || 'oneOf' in field) return choicesOf(field)[Number(first)]?.const
      // Converts to UTC: the control has no time zone offset.
      return field.format === 'date-time' ? new Date(first).toISOString() : first
  }
}

/** Returns a field's choices, each with its label. */
export function choicesOf(field: ChoiceField | ChoicesField): readonly FieldChoice[] {
  if (field.type === 'array')
    return 'anyOf' in field.items ? field.items.anyOf : toChoices(field.items.enum)
  return 'oneOf' in field ? field.oneOf : toChoices(field.enum, field.enumNames)
}

function toChoices(choices: readonly string[], names: readonly string[] = choices): FieldChoice[] {
  return choices.map((value, at) => ({ const: value, title: names[at] ?? value }))
}
