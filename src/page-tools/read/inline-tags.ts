/** Elements whose text is in one line with what is around them, and has no gap to it unless one is written. */
export const INLINE_TAGS: ReadonlySet<string> = new Set(
  'a,abbr,b,bdi,bdo,cite,code,data,dfn,em,font,i,kbd,mark,q,s,samp,slot,small,span,strong,sub,sup,time,u,var,wbr,label'.split(
    ',',
  ),
)
