import { defineMigration } from '#kernel'

const addContent = (dataSet: string, content: string, sign: '+' | '-') =>
  `update data_set_totals set
     referenced_versions = referenced_versions ${sign} coalesce((select ref_count from contents where id = ${content}), 0),
     current_versions = current_versions ${sign} coalesce((select current_count from contents where id = ${content}), 0)
   where data_set_id = ${dataSet}`
const countCurrent = (content: string, sign: '+' | '-') =>
  `update contents set current_count = current_count ${sign} 1 where id = ${content}`

/**
 * How many versions, and how many current ones, have a committed copy on each data set: a query would read every copy. By trigger,
 * because versions and copies change in many places.
 */
export const versionCountsMigration = defineMigration('0015-version-counts', [
  'alter table contents add column current_count bigint not null default 0',
  `update contents set current_count = heads.n
     from (select content_id, count(*) as n from object_heads group by content_id) heads where heads.content_id = contents.id`,
  'alter table data_set_totals add column referenced_versions bigint not null default 0',
  'alter table data_set_totals add column current_versions bigint not null default 0',
  `update data_set_totals set referenced_versions = stored.versions, current_versions = stored.current
     from (select k.data_set_id, sum(c.ref_count) as versions, sum(c.current_count) as current
       from copies k join contents c on c.id = k.content_id where k.state = 'committed' group by k.data_set_id) stored
     where stored.data_set_id = data_set_totals.data_set_id`,

  `create trigger content_heads_came after insert on object_heads begin ${countCurrent('new.content_id', '+')}; end`,
  `create trigger content_heads_moved after update of content_id on object_heads when old.content_id <> new.content_id begin
    ${countCurrent('old.content_id', '-')}; ${countCurrent('new.content_id', '+')}; end`,
  `create trigger content_heads_went after delete on object_heads begin ${countCurrent('old.content_id', '-')}; end`,

  `create trigger data_set_versions_changed after update of ref_count, current_count on contents
    when old.ref_count <> new.ref_count or old.current_count <> new.current_count begin
    update data_set_totals set referenced_versions = referenced_versions + new.ref_count - old.ref_count,
      current_versions = current_versions + new.current_count - old.current_count
      where data_set_id in (select k.data_set_id from copies k where k.content_id = new.id and k.state = 'committed'); end`,
  `create trigger data_set_versions_came after insert on copies when new.state = 'committed' begin
    ${addContent('new.data_set_id', 'new.content_id', '+')}; end`,
  `create trigger data_set_versions_rose after update of state on copies when old.state <> 'committed' and new.state = 'committed' begin
    ${addContent('new.data_set_id', 'new.content_id', '+')}; end`,
  `create trigger data_set_versions_fell after update of state on copies when old.state = 'committed' and new.state <> 'committed' begin
    ${addContent('old.data_set_id', 'old.content_id', '-')}; end`,
  `create trigger data_set_versions_moved after update of content_id on copies
    when old.content_id <> new.content_id and old.state = 'committed' and new.state = 'committed' begin
    ${addContent('old.data_set_id', 'old.content_id', '-')}; ${addContent('new.data_set_id', 'new.content_id', '+')}; end`,
  `create trigger data_set_versions_went after delete on copies when old.state = 'committed' begin
    ${addContent('old.data_set_id', 'old.content_id', '-')}; end`,
])
