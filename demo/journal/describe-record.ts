const MAX_LENGTH = 300
/** Fields that `describeRecord` leaves out. */
const OMITTED =
  'type seq at format runId conversationId appendId messageId partId toolCallId toolsId parentId executionId by path'
const omittedFields = new Set(OMITTED.split(' '))

/** The data of an event or a stored row in one line, without its ids. */
export function describeRecord(record: object): string {
  const text = Object.entries(record)
    .filter(([name, value]) => !omittedFields.has(name) && value !== null)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ')
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}
