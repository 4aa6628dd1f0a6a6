/** What an activation does that a person may not want done in their name. */
export type CommitKind =
  | 'pays'
  | 'sends'
  | 'publishes'
  | 'deletes'
  | 'cancels'
  | 'transfers'
  | 'signs'
  | 'allows'
  | 'blocks'
  | 'resets'
  | 'restarts'
  | 'acts as another'
  | 'logs out'

export type CommitWords = Readonly<Partial<Record<CommitKind, string>>>
