// STUB until the real module arrives
use std::path::{Path,PathBuf}; use std::fs;
#[derive(Debug,thiserror::Error)] pub enum EmitError { #[error("{0}: {1}")] Io(PathBuf,std::io::Error) }
pub struct Stage{dir:PathBuf,out:PathBuf}
#[derive(Clone,Copy)] pub enum FullMode{Copy,Hardlink,Symlink}
pub struct InPlaceEdit{pub path:String,pub original_sha256:String,pub output:Vec<u8>}
#[derive(Default)] pub struct Restored{pub restored:Vec<String>,pub removed:Vec<String>,pub conflicts:Vec<String>}
impl Stage{
 pub fn open(out:&Path,_repo:&Path,_a:bool)->Result<Stage,EmitError>{ let dir=out.with_extension("stage"); let _=fs::remove_dir_all(&dir); fs::create_dir_all(&dir).map_err(|e|EmitError::Io(dir.clone(),e))?; Ok(Stage{dir,out:out.into()}) }
 fn at(&self,p:&str)->PathBuf{ let t=self.dir.join(p); fs::create_dir_all(t.parent().unwrap()).unwrap(); t }
 pub fn put(&self,p:&str,b:&[u8],m:Option<u32>)->Result<(),EmitError>{ let t=self.at(p); fs::write(&t,b).map_err(|e|EmitError::Io(t.clone(),e))?; if let Some(m)=m { use std::os::unix::fs::PermissionsExt; let _=fs::set_permissions(&t,fs::Permissions::from_mode(m)); } Ok(()) }
 pub fn keep(&self,p:&str)->Result<(),EmitError>{ let t=self.at(p); fs::hard_link(self.out.join(p),&t).map_err(|e|EmitError::Io(t,e)) }
 pub fn folder(&self,p:&str)->Result<(),EmitError>{ let _=fs::create_dir_all(self.dir.join(p)); Ok(()) }
 pub fn link(&self,p:&str,to:&Path,_h:FullMode)->Result<(),EmitError>{ let t=self.at(p); if to.is_symlink() { let _=std::os::unix::fs::symlink(fs::read_link(to).unwrap(),&t); return Ok(()) } fs::copy(to,&t).map(|_|()).map_err(|e|EmitError::Io(t,e)) }
 pub fn commit(self)->Result<(),EmitError>{ let _=fs::remove_dir_all(&self.out); fs::rename(&self.dir,&self.out).map_err(|e|EmitError::Io(self.out.clone(),e)) }
}
pub fn in_place(repo:&Path,edits:impl Iterator<Item=InPlaceEdit>,extras:&[(String,Vec<u8>)])->Result<(),EmitError>{
 for e in edits { let t=repo.join(&e.path); fs::write(&t,&e.output).map_err(|x|EmitError::Io(t.clone(),x))?; }
 for (p,b) in extras { let t=repo.join(p); fs::create_dir_all(t.parent().unwrap()).unwrap(); fs::write(&t,b).unwrap(); } Ok(()) }
pub fn restore(_r:&Path,_f:bool)->Result<Restored,EmitError>{ unimplemented!() }
pub fn install(target:&Path,files:&[(&str,&str)])->Result<(),EmitError>{ fs::create_dir_all(target).unwrap(); for (n,t) in files { fs::write(target.join(n),t).unwrap(); } Ok(()) }
