/** Elements whose text continues the line around them, without a gap unless the page contains one. */
export const INLINE_TAGS: ReadonlySet<string> = new Set(
  'a,abbr,b,bdi,bdo,cite,code,data,dfn,em,font,i,kbd,mark,q,s,samp,slot,small,span,strong,sub,sup,time,u,var,wbr,label'.split(
    ',',
  ),
)
